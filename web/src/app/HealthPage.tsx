export default function HealthPage() {
  return <main id="main" />;
}
