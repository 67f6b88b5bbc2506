# Short names for what CMake presets and scripts do. make help lists them. ARGS goes to the program: make solve ARGS="-A A.mtx"
.PHONY: help build cuda test quick sanitize fuzz solve bench pictures docs man man3 reference interface format lint measure gpu clean

help: ## list the targets
	@sed -n 's/^\([a-z0-9]*\):.*## /\1\t/p' Makefile | expand -t 12
build: ## build for the CPU into build-cpu/, after installing what is missing
	scripts/install_dependencies.sh && cmake --preset cpu $(ARGS) && cmake --build --preset cpu
cuda: ## build with CUDA into build-cuda/
	cmake --preset cuda $(ARGS) && cmake --build --preset cuda
test: ## build into build/ (with CUDA where nvcc is found) and run all tests, as scripts/check.sh
	scripts/check.sh $(ARGS)
quick: build ## build for the CPU and run the checks of documentation and of new.sh, which take seconds
	ctest --preset cpu -L quick $(ARGS)
sanitize: ## build with AddressSanitizer and UndefinedBehaviorSanitizer and run the tests
	cmake --preset sanitize && cmake --build --preset sanitize && ctest --preset sanitize $(ARGS)
fuzz: build ## drive the C interface with random calls for 10 minutes
	build-cpu/tests/fuzz/fuzz_interface --seconds 600 $(ARGS)
solve: ## build into build-solve/ and solve a system
	scripts/solve.sh $(ARGS)
bench: build ## benchmarks on this CPU beside the libraries that are installed
	bench/run.py build-cpu $(ARGS)
gpu: ## build, test and measure on a machine with a GPU
	scripts/gpu.sh $(ARGS)
docs: ## the site, in build/site
	scripts/docs.sh site
man3: ## the man pages of the C interface, in build/man
	scripts/docs.sh man
man: build ## renew docs/gsolve.1 from the tables of the command
	cmake --build --preset cpu --target man
reference: build ## renew docs/reference/ from the option tables and the headers
	scripts/docs/reference.py build-cpu/cli/gsolve
interface: build ## renew tests/abi/ and include/gsolve.f90 after a change of the public headers
	scripts/abi.py build-cpu/libgsolve.so --update && scripts/fortran.py
pictures: ## renew docs/pictures/ from the benchmark records
	scripts/docs.sh pictures
format: ## apply .clang-format
	cmake --preset cpu >/dev/null && cmake --build --preset cpu --target format
lint: ## shellcheck, codespell and the direction of includes
	scripts/lint.sh
measure: ## size of functions, files and folders
	scripts/measure_code.sh $(ARGS)
clean: ## remove the build folders
	rm -rf build build-*
