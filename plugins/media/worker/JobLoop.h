#pragma once

#include "shared/WorkerFrames.h"
#include "worker/ImageJob.h"

#include <string>

namespace supplierd::media {

/// Reads jobs from the channel and answers them, until the server closes it.
class JobLoop {
public:
    /// Returns the exit code of the process.
    static int run();

private:
    static void sayHello();
    static void answer(const FinishedImage& image);
    static void refuse(Refusal reason);
    static void work(const std::string& image);
};

} // namespace supplierd::media
