export default function LibraryPage() {
  return <main id="main" />;
}
