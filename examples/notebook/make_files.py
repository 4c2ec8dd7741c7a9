"""Makes the files of the mixed notebook again: a PDF, a scanned page, a workbook, and (with espeak-ng on the PATH) a voice memo."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from datetime import UTC, datetime
from pathlib import Path

import reportlab
import xlsxwriter
from imageio_ffmpeg import get_ffmpeg_exe
from PIL import Image, ImageDraw, ImageFont
from reportlab.lib.pagesizes import A5
from reportlab.pdfgen.canvas import Canvas

FILES = Path(__file__).parent / "files"
REPORT = (
    (
        "Lake Orrin survey 2025",
        "Lake Orrin covers 6.4 square kilometres.",
        "The survey team worked on the lake from 2 May to 11 July 2025.",
        "Its boat, the Teal, carried a crew of four.",
        "This report tells how deep the lake is, how warm the water was,",
        "and which fish were counted.",
    ),
    (
        "Depth and temperature",
        "The deepest point, 41.3 metres, lies 300 metres east of Heron Island.",
        "The mean depth of the lake is 17.8 metres.",
        "On 20 June the water was 18.6 degrees warm at the surface",
        "and 5.2 degrees at a depth of 30 metres.",
    ),
    (
        "Fish",
        "The nets held 212 fish of five kinds; perch were the most common.",
        "No pike was caught in 2025.",
        "Char may still live in the eastern basin, but none was seen.",
    ),
)
NOTICE = (
    "HARBOUR NOTICE No. 7",
    "",
    "The slipway is closed for repairs",
    "from 3 March to 21 March 2026.",
    "",
    "Boats longer than 7 metres use the north quay.",
    "The harbour crane lifts at most 900 kilograms.",
    "",
    "Orrin Harbour Office",
)
CATCHES = (
    ("Date", "Place", "Species", "Count", "Longest (cm)"),
    ("2025-05-06", "North bay", "Perch", 48, 31),
    ("2025-05-20", "Heron Island", "Roach", 37, 24),
    ("2025-06-03", "East basin", "Perch", 52, 34),
    ("2025-06-17", "South shore", "Bream", 21, 46),
    ("2025-07-01", "River mouth", "Trout", 19, 58),
    ("2025-07-08", "North bay", "Ruffe", 35, 14),
)
# Short sentences, spoken slowly: what a synthetic voice says must be understood by a small model.
MEMO = (
    "This is a note about the weather station. The weather station on the island stopped working on Monday morning."
    " The battery is empty. We will bring a new battery on Thursday afternoon."
)


def report(path: Path) -> None:
    """A PDF of three pages with a text layer."""
    canvas = Canvas(str(path), pagesize=A5, invariant=1)
    canvas.setTitle("Lake Orrin survey 2025")
    for title, *lines in REPORT:
        canvas.setFont("Helvetica-Bold", 15)
        canvas.drawString(40, 540, title)
        canvas.setFont("Helvetica", 11)
        for number, line in enumerate(lines):
            canvas.drawString(40, 510 - 20 * number, line)
        canvas.showPage()
    canvas.save()


def notice(path: Path) -> None:
    """A scanned page: a picture of a typed notice, a little grey and not quite straight."""
    page = Image.new("L", (1240, 820), 247)
    draw = ImageDraw.Draw(page)
    font = ImageFont.truetype(str(Path(reportlab.__file__).parent / "fonts" / "Vera.ttf"), 34)
    for number, line in enumerate(NOTICE):
        draw.text((110, 80 + 70 * number), line, font=font, fill=28)
    page.rotate(0.4, expand=False, fillcolor=247, resample=Image.Resampling.BICUBIC).save(path, "PNG", optimize=True)


def catches(path: Path) -> None:
    """A workbook with one sheet."""
    book = xlsxwriter.Workbook(str(path))
    book.set_properties({"created": datetime(2025, 7, 12, tzinfo=UTC)})  # the same file each time
    sheet = book.add_worksheet("Catches 2025")
    for row, values in enumerate(CATCHES):
        sheet.write_row(row, 0, values)
    book.close()


def memo(path: Path) -> None:
    """The memo read aloud, as a small MP3. Nothing is made where espeak-ng is missing; the committed file stays."""
    if shutil.which("espeak-ng") is None:
        return
    with tempfile.TemporaryDirectory() as folder:
        wav = Path(folder) / "memo.wav"
        subprocess.run(["espeak-ng", "-v", "en-us", "-s", "130", "-g", "4", "-w", str(wav), MEMO], check=True)
        command = [get_ffmpeg_exe(), "-y", "-loglevel", "error", "-i", str(wav), "-ac", "1", "-ar", "16000", "-b:a", "32k", str(path)]
        subprocess.run(command, check=True)


def main() -> None:
    """Write all of them into `files/`."""
    FILES.mkdir(exist_ok=True)
    report(FILES / "orrin-survey.pdf")
    notice(FILES / "harbour-notice.png")
    catches(FILES / "catches.xlsx")
    memo(FILES / "voice-memo.mp3")


if __name__ == "__main__":
    main()
