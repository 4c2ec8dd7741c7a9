import hooks from "eslint-plugin-react-hooks";
import tseslint from "typescript-eslint";

// Layers: app → features → shared. A feature does not know another one; only chat, reader and find share the places of citations.
const features = ["chat", "reader", "citations", "notebooks", "sources", "models", "health", "settings", "studio", "signin", "library", "find", "misses", "notes", "usage", "assistants"];
const maySee = { chat: ["citations"], reader: ["citations"], find: ["citations"], notes: ["citations"], studio: [], assistants: [] };

const forbid = (patterns) => ["error", { patterns: patterns.map(([regex, message]) => ({ regex, message })) }];
const barrel = ["/index(\\.tsx?)?$", "no barrel files: name the module"];
const upward = ["^\\.\\./\\.\\./", "name it from the root: @/…"];

const featureRules = features.map((name) => {
  const closed = features.filter((other) => other !== name && !(maySee[name] ?? []).includes(other));
  return {
    files: [`src/features/${name}/**/*.{ts,tsx}`],
    rules: {
      "no-restricted-imports": forbid([
        ["^@/app/", "a feature does not know the app"],
        [`^@/features/(${closed.join("|")})/`, "a feature does not know another feature"],
        barrel,
        upward,
      ]),
    },
  };
});

export default tseslint.config(
  { ignores: ["dist", "node_modules", "src/shared/api/openapi.ts"] },
  ...tseslint.configs.recommended,
  { plugins: { "react-hooks": hooks }, rules: { ...hooks.configs.recommended.rules, "react-hooks/incompatible-library": "off" } },
  {
    files: ["src/**/*.{ts,tsx}"],
    rules: {
      "@typescript-eslint/no-explicit-any": "error",
      "@typescript-eslint/consistent-type-imports": "error",
      "@typescript-eslint/no-non-null-assertion": "error",
      "no-restricted-imports": forbid([barrel, upward]),
      "no-restricted-syntax": [
        "error",
        { selector: "JSXAttribute[name.name='dangerouslySetInnerHTML']", message: "markup is never built from text" },
        { selector: "MemberExpression[property.name=/^(innerHTML|outerHTML)$/]", message: "markup is never built from text" },
      ],
      complexity: ["error", 15],
      "max-lines-per-function": ["error", { max: 150, skipBlankLines: true, skipComments: true }],
      "no-console": "error",
      eqeqeq: ["error", "always"],
    },
  },
  // Markup branches (`open ? … : null`) count as much as logic would: a component may have a few more.
  { files: ["src/**/*.tsx"], rules: { complexity: ["error", 20] } },
  {
    files: ["src/shared/**/*.{ts,tsx}"],
    rules: {
      "no-restricted-imports": forbid([["^@/(app|features)/", "shared knows neither features nor app"], barrel, upward]),
    },
  },
  ...featureRules,
  { rules: { "@typescript-eslint/no-unused-vars": ["error", { ignoreRestSiblings: true }] } },
  { files: ["dev/**", "scripts/**"], rules: { "no-console": "off", "@typescript-eslint/no-unused-expressions": "off" } },
);
