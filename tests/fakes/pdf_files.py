"""Hand-made PDF files: small ones that say what a test needs, and hostile ones."""

import zlib
from collections.abc import Mapping, Sequence


def document(objects: Sequence[bytes], *, trailer: bytes = b"") -> bytes:
    """A file of these objects, numbered from 1; the first is the catalogue."""
    out = b"%PDF-1.7\n"
    places = []
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1) + b"".join(b"%010d 00000 n \n" % place for place in places)
    return out + b"trailer\n<</Root 1 0 R/Size %d%s>>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, trailer, start)


def stream(body: bytes, head: bytes = b"") -> bytes:
    """A stream object."""
    return b"<<%s/Length %d>>\nstream\n%s\nendstream" % (head, len(body), body)


def page(
    content: bytes, *, box: bytes = b"0 0 612 792", rotate: int = 0, more: bytes = b"", catalogue: bytes = b"", head: bytes = b""
) -> bytes:
    """A file of one page with Helvetica as /F1."""
    return document(
        [
            b"<</Type/Catalog/Pages 2 0 R%s>>" % catalogue,
            b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
            b"<</Type/Page/Parent 2 0 R/MediaBox[%s]/Rotate %d/Resources<</Font<</F1 5 0 R>>>>/Contents 4 0 R%s>>" % (box, rotate, more),
            stream(content, head),
            b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>",
        ]
    )


def words(text: str = "The quick brown fox jumps over the lazy dog by the lake.", size: int = 12, x: int = 72, y: int = 700) -> bytes:
    """Content that writes a line."""
    escaped = text.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)").encode("cp1252")
    return b"BT /F1 %d Tf %d %d Td (%s) Tj ET\n" % (size, x, y, escaped)


def many_pages(count: int) -> bytes:
    """So many pages that are all one object."""
    return document(
        [
            b"<</Type/Catalog/Pages 2 0 R>>",
            b"<</Type/Pages/Kids[" + b"3 0 R " * count + b"]/Count %d>>" % count,
            b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]>>",
        ]
    )


def flate_bomb(megabytes: int) -> bytes:
    """A page whose content is packed twice and unpacks to so many megabytes of drawing."""
    return pages_of([bomb(megabytes)])


def bomb(megabytes: int) -> bytes:
    """A content stream that is packed twice and unpacks to so many megabytes of drawing."""
    megabyte = b"0 0 m 1 1 l S\n" * (1_000_000 // 14)
    packer = zlib.compressobj(9)
    first, other = (packer.compress(megabyte) + packer.flush(zlib.Z_FULL_FLUSH) for _ in range(2))
    checksum = 1
    for _ in range(megabytes):
        checksum = zlib.adler32(megabyte, checksum)
    # After a full flush the same bytes are packed alike, so only two megabytes are packed; then an empty last block (RFC 1951).
    inner = first + other * (megabytes - 1) + b"\x03\x00" + checksum.to_bytes(4, "big")
    return stream(zlib.compress(inner, 9), b"/Filter[/FlateDecode/FlateDecode]")


def book(count: int) -> bytes:
    """So many pages, each with its objects where it stands in the file and words of its own; the page tree is at the end."""
    objects: list[bytes] = [b"<</Type/Catalog/Pages %d 0 R>>" % (2 * count + 3), b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"]
    for number in range(1, count + 1):
        head = b"<</Type/Page/Parent %d 0 R/MediaBox[0 0 612 792]/Resources<</Font<</F1 2 0 R>>>>/Contents %d 0 R>>"
        objects.append(head % (2 * count + 3, 2 * number + 2))
        objects.append(stream(words(f"Page {number} tells of the lake and how deep it is there.")))
    kids = b" ".join(b"%d 0 R" % (2 * number + 1) for number in range(1, count + 1))
    return document([*objects, b"<</Type/Pages/Kids[%s]/Count %d>>" % (kids, count)])


def pages_of(contents: Sequence[bytes]) -> bytes:
    """A file with a page for each content (drawing, or a whole stream object), Helvetica as /F1."""
    tree = 2 * len(contents) + 3
    head = b"<</Type/Page/Parent %d 0 R/MediaBox[0 0 612 792]/Resources<</Font<</F1 2 0 R>>>>/Contents %d 0 R>>"
    objects = [b"<</Type/Catalog/Pages %d 0 R>>" % tree, b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>"]
    for number, content in enumerate(contents, 1):
        objects += [head % (tree, 2 * number + 2), content if content.startswith(b"<<") else stream(content)]
    kids = b" ".join(b"%d 0 R" % (2 * number + 1) for number in range(1, len(contents) + 1))
    return document([*objects, b"<</Type/Pages/Kids[%s]/Count %d>>" % (kids, len(contents))])


def drawn(number: int) -> bytes:
    """Content without letters: a rectangle whose grey tells the number (`number_of`), 0 to 120."""
    return b"%.4f g 100 100 412 592 re f\n" % (number * 2 / 255)


def packed_without_end(content: bytes) -> bytes:
    """A file that breaks off behind an object stream with its page and font."""
    inner = [
        (3, b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Resources<</Font<</F1 5 0 R>>>>/Contents 4 0 R>>"),
        (5, b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"),
    ]
    places, bodies = b"", b""
    for number, body in inner:
        places += b"%d %d " % (number, len(bodies))
        bodies += body + b" "
    packed = zlib.compress(places + bodies)
    head = b"/Type/ObjStm/N 2/First %d/Filter/FlateDecode" % len(places)
    return b"%PDF-1.7\n4 0 obj\n" + stream(content) + b"\nendobj\n9 0 obj\n" + stream(packed, head) + b"\nendobj\n10 0 obj\n<</Ty"


def hostile() -> Mapping[str, bytes]:
    """Files that have hung, crashed or filled readers, by what is wrong with them."""
    good = page(words())
    nested = b"[" * 100_000 + b"]" * 100_000
    catalogue = b"<</Type/Catalog/Pages 2 0 R>>"
    return {
        "page tree that is its own child": document(
            [catalogue, b"<</Type/Pages/Kids[2 0 R 3 0 R]/Count 2>>", b"<</Type/Page/Parent 3 0 R/MediaBox[0 0 9 9]>>"]
        ),
        "pages whose parent is their child": document(
            [catalogue, b"<</Type/Pages/Kids[3 0 R]/Count 1/Parent 3 0 R>>", b"<</Type/Pages/Kids[2 0 R]/Count 1/Parent 2 0 R>>"]
        ),
        "object that is a reference to itself": document([catalogue, b"2 0 R"]),
        "very deep nesting": document([b"<</Type/Catalog/Pages 2 0 R/X 3 0 R>>", b"<</Type/Pages/Kids 3 0 R/Count 1>>", nested]),
        "table of places that points to itself": good.replace(b"trailer\n<<", b"trailer\n<</Prev %d" % good.rindex(b"xref\n0")),
        "inline image without an end": page(b"BI /W 10 /H 10 /BPC 8 /CS /G ID " + b"x" * 1000),
        "nothing after the head": b"%PDF-1.7\n",
        "only the end": b"%%EOF\n" * 100,
        "noise": bytes((place * 7919) % 251 for place in range(20_000)),
    }
