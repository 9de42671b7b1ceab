// swift-tools-version: 6.3

import PackageDescription

// A package of its own, so that nobody who depends on the library resolves it; `script/benchmark-web` builds it.
let package = Package(
  name: "web-benchmark",
  platforms: [.macOS(.v15)],
  dependencies: [.package(url: "https://github.com/apple/swift-nio", from: "2.92.0")],
  targets: [
    .systemLibrary(name: "CSQLite"),
    .executableTarget(
      name: "WebBenchmark",
      dependencies: [
        "CSQLite",
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
      ]
    ),
  ],
  swiftLanguageModes: [.v6]
)
