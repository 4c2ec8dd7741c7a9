import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { lazy, Suspense } from "react";
import { Route, Switch } from "wouter";
import { Boundary } from "@/app/Boundary";
import { screens } from "@/app/screens";
import { Session } from "@/app/Session";
import { ApiError } from "@/shared/api/client";
import { Toaster } from "@/shared/ui/Toaster";

const Home = lazy(screens.home);
const Workspace = lazy(screens.workspace);
const Find = lazy(screens.find);
const Questions = lazy(screens.questions);
const Library = lazy(screens.library);
const Usage = lazy(screens.usage);
const Assistants = lazy(screens.assistants);
const Assistant = lazy(screens.assistant);
const Settings = lazy(screens.settings);
const Models = lazy(screens.models);
const Health = lazy(screens.health);
const SignIn = lazy(screens.signIn);
const NotHere = lazy(screens.notHere);

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
      <Boundary>
        <Suspense>
          <Switch>
            <Route path="/sign-in" component={SignIn} />
            <Route>
              <Session>
                <Suspense>
                  <Switch>
                    <Route path="/" component={Home} />
                    <Route path="/find" component={Find} />
                    <Route path="/n/:id/questions" component={Questions} />
                    <Route path="/n/:id/*?" component={Workspace} />
                    <Route path="/library" component={Library} />
                    <Route path="/usage" component={Usage} />
                    <Route path="/assistants" component={Assistants} />
                    <Route path="/assistants/:id/:part?" component={Assistant} />
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
      </Boundary>
      <Toaster />
    </QueryClientProvider>
  );
}
