#pragma once

#include <cstddef>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace supplierd::tests {

using Generator = std::mt19937_64;

/// A number from 0 to count - 1; 0 when there is nothing to choose from.
std::size_t pick(Generator& generator, std::size_t count);
/// True once in `times`.
bool once(Generator& generator, std::size_t times);

/// Bodies that were valid once: cut, stretched, spliced, with bytes and numbers exchanged. The same generator gives the
/// same bodies. Thread: one.
class BodyMutator {
public:
    explicit BodyMutator(std::vector<std::string> seeds) : _seeds(std::move(seeds)) {}

    /// One of the seeds as it is.
    const std::string& seed(Generator& generator) const { return _seeds[pick(generator, _seeds.size())]; }
    /// A seed after one to four mutations.
    std::string next(Generator& generator) const;
    /// The text after one to four mutations.
    std::string mutate(std::string text, Generator& generator) const;

private:
    void mutateOnce(std::string& text, Generator& generator) const;

    std::vector<std::string> _seeds;
};

} // namespace supplierd::tests
