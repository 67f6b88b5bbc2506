/* cost_table.c: made by bench/calibrate.py from the records of bench_calibrate. Do not edit.
 *
 * format: regular, irregular, cached, wait, build, entry, begin
 * plain, blocks: entry, row, step, setup_entry, setup_row, setup */
#include "matrix/cost_model.h"

/* clang-format off */
const gs_device_costs gs_cost_table[GS_COST_DEVICES] = {
    [GS_COST_CPU] = {
        /* Intel(R) Xeon(R) Processor, 1 thread, 2026-11-23, 27ff0b7: bench/results/cpu/calibrate.json */
        /* AMD EPYC, 1 thread, 2026-11-22, 7ce652f: bench/results/cpu_epyc/calibrate.json; products and conversions of bench_formats */
        .bandwidth = 10.15,
        .launch = 0,
        .far = 2.236,
        .beyond = 2.236,
        .tiles = 1,
        .ordered = 1,
        .on_chip = 0,
        .format = {
            [GS_COST_SELL] = {1.112, 0.4173, 0.9112, 1.122, 8.616, 0, 0},
            [GS_COST_BSR] = {1.028, 1.028, 1.028, 1, 28.07, 0, 119700},
            [GS_COST_BCE] = {1.098, 0.4094, 0.9464, 1.062, 9.279, 0, 0},
            [GS_COST_SEGMENTED] = {0.8968, 0.5117, 0.6979, 1.036, 2.931, 0, 0},
            [GS_COST_CUT] = {1, 1, 1, 1, 1, 0, 1},
        },
        .plain = {
            [GS_JACOBI] = {0.4966, 1.597, 0, 0.7588, 6.462, 0},
            [GS_IC] = {1.029, 4.25, 0, 12.23, 0, 0},
            [GS_AMG] = {2.318, 17.06, 0, 36.37, 136.2, 77550},
        },
        .blocks = {
            [GS_JACOBI] = {0.2977, 0, 0, 0.5229, 0, 0},
            [GS_IC] = {0.958, 0, 0, 19.18, 0, 0},
            [GS_AMG] = {2.308, 0, 123600, 61.52, 0, 0},
        },
    },
    [GS_COST_CUDA] = {
        /* NVIDIA H200, 150 GB, 2026-11-23, a2ff678: bench/results/h200/calibrate.json */
        /* on_chip, plain, blocks: 2026-11-22, 7e08591: bench/results/h200/iterations.json; fitted by hand to whole solves */
        .bandwidth = 4227,
        .launch = 2423,
        .far = 0.005298,
        .beyond = 0.01116,
        .tiles = 1.245,
        .ordered = 0.2372,
        .on_chip = 12000,
        .format = {
            [GS_COST_SELL] = {1.147, 1.147, 0.4918, 0.9274, 0, 0.01004, 141400},
            [GS_COST_BSR] = {1.4, 1.4, 0.4417, 0, 0, 0.01304, 310900},
            [GS_COST_BCE] = {0.7796, 0.6585, 0.4949, 0.7871, 0, 0.009162, 177500},
            [GS_COST_SEGMENTED] = {0.937, 0.937, 0.6616, 0.6663, 0, 0.01037, 69000},
            [GS_COST_CUT] = {1.423, 1.423, 0.7247, 1.487, 0, 0.016, 194700},
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
