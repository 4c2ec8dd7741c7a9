"""Runs in the walled child: text, words, boxes and pictures of one PDF by pdfium."""

from __future__ import annotations

import ctypes
import io
import mmap
import os
import re
from collections.abc import Iterator
from itertools import groupby
from typing import Any

import pypdfium2
from pypdfium2 import raw

from sourcebook_core.sandbox_server import FILE_FD, Answer, Refused
