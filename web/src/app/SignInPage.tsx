export default function SignInPage() {
  return <main id="main" />;
}
