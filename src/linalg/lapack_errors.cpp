// SPDX-License-Identifier: MIT
// LAPACK calls xerbla_ with the name of a routine and the number of the argument it refuses. Its own one
// prints and ends the program, and needs Fortran's run-time library for that; here the caller reads the same
// from `info`.
extern "C" void xerbla_(const char* routine, const int* argument, unsigned long length);

extern "C" void xerbla_(const char* /*routine*/, const int* /*argument*/, unsigned long /*length*/) {}
