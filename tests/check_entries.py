#!/usr/bin/env python3
"""check_entries.py SOURCE: every public function that may use the device begins with GS_ENTER, which keeps the caller's
current device (core/context.h). The functions in WITHOUT need none: they touch no device, or only through other public
functions and the functions of core/ that have it."""
import re
import sys
from pathlib import Path

FOLDERS = "core vector matrix factor spmv spgemm precond solver partition io".split()
WITHOUT = set("""
    gsolve_version gsolve_status_text gsolve_outcome_text gsolve_error gsolve_fail gsolve_threads gsolve_stream
    gsolve_context_create gsolve_context_create_with gsolve_context_destroy gsolve_context_use_device
    gsolve_context_describe gsolve_context_set_log gsolve_context_set_stage_monitor
    gsolve_context_interrupt gsolve_context_set_interrupt_test gsolve_context_set_time_limit gsolve_context_limit_allocations
    gsolve_alloc gsolve_free gsolve_csr_free gsolve_dense_free gsolve_blocked_free gsolve_dist_csr_free
    gsolve_csr_convert gsolve_csr_transpose gsolve_csr_statistics gsolve_dist_csr_statistics gsolve_dist_choose gsolve_dist_ranks
    gsolve_matrix_row_range
    gsolve_register_format gsolve_register_precond gsolve_tidy_spec gsolve_abandon_files gsolve_random
    gsolve_descriptor_of gsolve_file_format_of
    gsolve_matrix_update_operator gsolve_matrix_set_flags gsolve_precond_update_function gsolve_precond_set_flags
    gsolve_solver_set gsolve_solver_set_stopping_test
    gsolve_auto_choose gsolve_auto_create gsolve_auto_create_from gsolve_auto_matrix gsolve_auto_solver
    gsolve_auto_set_stopping_test gsolve_auto_set_attempt_monitor gsolve_solve
""".split())
# names that end so read what the host knows
READS = re.compile(r"_(at|describe|name|note|level|column|profile|get_profile|profile_at|set_monitor|is_variable|diagonal|"
                   r"begin_solve|device_csr)$")
FUNCTION = re.compile(r"^(?!static|typedef)[a-z_ ]+[ *](gsolve_\w+)\([^;{]*\)\n\{\n(.*?)^\}", re.M | re.S)


def main():
    found, failed = 0, 0
    for folder in FOLDERS:
        for path in sorted((Path(sys.argv[1]) / folder).rglob("*.c")):
            for name, body in FUNCTION.findall(path.read_text()):
                found += 1
                if "TRY(" in body.partition("GS_ENTER(")[0] and "GS_ENTER(" in body:
                    print(f"{path}: {name} has a TRY before GS_ENTER, and would leave what it has not entered; move GS_ENTER up")
                    failed += 1
                if "GS_ENTER(" in body or name in WITHOUT or READS.search(name):
                    continue
                print(f"{path}: {name} has no GS_ENTER; add it after the check that ctx is not NULL, or, if the function "
                      f"uses no device, add its name to WITHOUT in tests/check_entries.py")
                failed += 1
    if found < 80:
        print(f"only {found} public functions were found; check_entries.py cannot read the sources")
        failed += 1
    return failed > 0


sys.exit(main())
