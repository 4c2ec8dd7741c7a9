"""`python -m sourcebook_rag`."""

from sourcebook_rag.worker import main

if __name__ == "__main__":
    main()
