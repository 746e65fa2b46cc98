// What a library that is preloaded into the program does to it: one call of
// one kind, about files below one folder, goes wrong.
//
// REBASIN_FAULT says which and how:
//     KIND N error ERRNO    the N-th call of that kind fails, once
//     KIND N errors ERRNO   it fails, and so do all after it
//     KIND N short          it moves only half of the bytes
//     KIND N signal NUMBER  a signal arrives just before it
// REBASIN_FAULT_FOLDER is the folder, and REBASIN_FAULT_MARK the file that gets
// a byte for every fault, outside of the folder.

#ifndef REBASIN_TESTS_FAULTS_INJECT_PLAN_H_
#define REBASIN_TESTS_FAULTS_INJECT_PLAN_H_

namespace faults {

// Whether the file is below the folder. Both leave errno as it is.
bool Concerns(const char* path);
bool Concerns(int fd);

// What happens to a call. With an error, errno is set.
enum class Fate { kNothing, kError, kShortCount };

// Counts a call and says what happens to it. Signals are sent from here. "any"
// in the plan means every kind that is about files.
Fate Meets(const char* kind);

// Memory is counted once a file in the folder was opened: what happens before
// is the start of any program.
void StartCountingMemory();
bool CountsMemory();

}  // namespace faults

#endif  // REBASIN_TESTS_FAULTS_INJECT_PLAN_H_
