import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { lazy, Suspense } from "react";
import { Route, Switch } from "wouter";
import { Session } from "@/app/Session";
import { ApiError } from "@/shared/api/client";
import { Toaster } from "@/shared/ui/Toaster";

const Home = lazy(() => import("@/app/HomePage"));
const Workspace = lazy(() => import("@/app/Workspace"));
const Library = lazy(() => import("@/app/LibraryPage"));
const Settings = lazy(() => import("@/app/SettingsPage"));
const Models = lazy(() => import("@/app/ModelsPage"));
const Health = lazy(() => import("@/app/HealthPage"));
const SignIn = lazy(() => import("@/app/SignInPage"));
const NotHere = lazy(() => import("@/app/NotHere"));

const client = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5000,
      refetchOnWindowFocus: false, // the feed says when something changed
      retry: (count, error) => count < 2 && !(error instanceof ApiError && error.status >= 400 && error.status < 500),
    },
  },
});

/** The page: who is signed in, then the screen the address names. */
export function App() {
  return (
    <QueryClientProvider client={client}>
      <Suspense>
        <Switch>
          <Route path="/sign-in" component={SignIn} />
          <Route>
            <Session>
              <Suspense>
                <Switch>
                  <Route path="/" component={Home} />
                  <Route path="/n/:id/*?" component={Workspace} />
                  <Route path="/library" component={Library} />
                  <Route path="/settings" component={Settings} />
                  <Route path="/admin/models" component={Models} />
                  <Route path="/admin/health" component={Health} />
                  <Route component={NotHere} />
                </Switch>
              </Suspense>
            </Session>
          </Route>
        </Switch>
      </Suspense>
      <Toaster />
    </QueryClientProvider>
  );
}
