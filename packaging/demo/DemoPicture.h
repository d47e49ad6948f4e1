#pragma once

#include "DemoProduct.h"
#include "PictureFile.h"

#include <string>
#include <vector>

namespace supplierd::demo {

/// One picture of a demo product: what it is called, and how it is drawn. The same every time.
struct DemoPicture {
    const DemoProduct* product = nullptr; ///< outlives the picture
    int view = 0;                         ///< 0: as in a catalogue; above: from nearer by, before another background
    PictureFormat format = PictureFormat::Jpeg;

    /// "VDM-TUL-STRONGGO-36-0.jpg": fit for a URL.
    std::string fileName() const;
    /// Takes some tens of milliseconds.
    std::string draw() const;
};

/// Pictures of a supplier's products, those of one product together and in order. Only some products have any, those
/// that a list shows first among them: filling a server with them takes seconds.
std::vector<DemoPicture> demoPictures(const DemoSupplier& supplier);

} // namespace supplierd::demo
