#include "io/write_back.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include "io/file.h"
#include "support/temp_dir.h"

namespace rebasin {
namespace {

TEST(WriteBack, EndsAtAnyMoment) {
  const TempDir dir;
  const auto path = dir.Write("file", std::string(1000, 'x'));
  const FileDescriptor file(OpenFile(path, O_WRONLY));
  { const WriteBack never_told(file.get()); }
  for (int64_t pieces = 0; pieces < 20; ++pieces) {
    WriteBack told(file.get());
    for (int64_t i = 1; i <= pieces; ++i) told.Reached(i * WriteBack::kPiece);
  }
}

TEST(WriteBack, LeavesErrorsToTheSync) {
  const FileDescriptor device(OpenFile("/dev/null", O_WRONLY));
  for (const int fd : {device.get(), -1}) {
    WriteBack hopeless(fd);
    hopeless.Reached(WriteBack::kPiece);
    hopeless.Reached(2 * WriteBack::kPiece);
  }
}

}  // namespace
}  // namespace rebasin
