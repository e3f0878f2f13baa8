// Anchors the precompiled header of TesseraPrecompiled.
