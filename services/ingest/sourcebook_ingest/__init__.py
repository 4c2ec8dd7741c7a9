"""Workers that read sources and build their indexes."""
