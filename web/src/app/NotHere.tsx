export default function NotHere() {
  return <main id="main" />;
}
