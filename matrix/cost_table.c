/* cost_table.c: made by bench/calibrate.py from the records of bench_calibrate. Do not edit.
 *
 * format: regular, irregular, wait, build, begin
 * plain, blocks: entry, row, step, setup_entry, setup_row, setup */
#include "matrix/cost_model.h"

/* clang-format off */
const gs_device_costs gs_cost_table[GS_COST_DEVICES] = {
    [GS_COST_CPU] = {
        /* AMD EPYC, one core, 2026-11-22, 7e08591: bench/results/cpu/calibrate.json;
         * fitted by hand to whole solves and bench_auto before there was bench_calibrate; not measured by it */
        .bandwidth = 30,
        .launch = 0,
        .far = 0.8,
        .beyond = 0.8,
        .tiles = 1,
        .ordered = 1,
        .on_chip = 0,
        .format = {
            [GS_COST_SELL] = {0.95, 0.8, 1, 10, 0},
            [GS_COST_BSR] = {1, 1, 1, 12, 0},
            [GS_COST_BCE] = {0.85, 0.85, 1, 20, 0},
            [GS_COST_SEGMENTED] = {0.9, 0.95, 1, 8, 0},
            [GS_COST_CUT] = {1, 1, 1, 1, 1},
        },
        .plain = {
            [GS_JACOBI] = {0.55, 2.65, 0, 0, 20, 0},
            [GS_IC] = {1.12, 6.85, 0, 15, 0, 0},
            [GS_AMG] = {2.6, 28, 0, 46, 250, 0},
        },
        .blocks = {
            [GS_JACOBI] = {0.5, 0, 0, 3.4, 0, 0},
            [GS_IC] = {1.18, 0, 0, 26, 0, 0},
            [GS_AMG] = {2.95, 0, 0, 97, 0, 0},
        },
    },
    [GS_COST_CUDA] = {
        /* NVIDIA H200, 2026-11-22, 7e08591: bench/results/h200/calibrate.json;
         * fitted by hand to whole solves and bench_auto before there was bench_calibrate; not measured by it */
        .bandwidth = 4300,
        .launch = 2791,
        .far = 0.005581,
        .beyond = 0.0186,
        .tiles = 1.5,
        .ordered = 0.5,
        .on_chip = 12000,
        .format = {
            [GS_COST_SELL] = {1.05, 0.7, 0.95, 2.5, 60470},
            [GS_COST_BSR] = {1.05, 1.05, 1, 4, 232600},
            [GS_COST_BCE] = {0.9, 0.9, 1, 16, 0},
            [GS_COST_SEGMENTED] = {1.05, 1, 0.85, 1.5, 58140},
            [GS_COST_CUT] = {1, 1, 1.4, 3, 200000},
        },
        .plain = {
            [GS_JACOBI] = {0.0024, 0.0226, 14000, 0, 0, 0},
            [GS_IC] = {0.25, 0, 600000, 0, 0, 0},
            [GS_AMG] = {0.016, 0.13, 100000, 0.22, 1.3, 2.8e+06},
        },
        .blocks = {
            [GS_JACOBI] = {0.0024, 0.0226, 14000, 0, 0, 0},
            [GS_IC] = {1.3, 0, 600000, 0, 0, 0},
            [GS_AMG] = {0.021, 0, 100000, 0.6, 0, 4.3e+06},
        },
    },
};
