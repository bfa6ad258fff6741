"""The figures of the paper: `measure_*` writes numbers to benchmarks/results/figures, `draw_*` reads nothing else."""
