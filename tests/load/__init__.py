"""`make bench`: the ratios of the performance page, each measured beside what it is compared with, in one run."""
