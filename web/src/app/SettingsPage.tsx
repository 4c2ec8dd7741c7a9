export default function SettingsPage() {
  return <main id="main" />;
}
