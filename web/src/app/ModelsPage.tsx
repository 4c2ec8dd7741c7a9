export default function ModelsPage() {
  return <main id="main" />;
}
