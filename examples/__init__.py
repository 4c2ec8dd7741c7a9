"""Five small systems, each under its own profile: data of our own, a script that plays it, and a page that explains it."""
