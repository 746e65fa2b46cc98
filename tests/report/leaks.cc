// fontconfig keeps what it found out about fonts until the program ends, and
// cairo keeps that: a few allocations, however many pictures are drawn. The
// leak sanitizer asks here what it may overlook.

extern "C" const char* __lsan_default_suppressions();
extern "C" const char* __lsan_default_suppressions() {
  return "leak:libfontconfig\n";
}
