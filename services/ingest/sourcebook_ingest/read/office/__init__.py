"""Office files and their kin: documents, slides, tables, books, mails. Read in the walled child, passage by passage."""
