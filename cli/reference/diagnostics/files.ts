/** ACM301 to ACM304 and ACM323 to ACM326: the bundle, what it imports, and the files that a build writes. */
import type { Explanations } from './explanation.ts'

export const aboutFiles: Explanations = {
  ACM301: {
    meaning:
      'The sources are right for the compiler, but esbuild cannot bundle them: mostly an import of a file that does not exist. Its message is shown as it is.',
  },
  ACM302: {
    meaning:
      '`generated/mcp.yml` holds every text that a model sees, and somebody changed it there. Texts come from doc comments: the place of this diagnostic is where the text belongs.',
  },
  ACM303: {
    meaning:
      '`build --check` found that a committed file under `generated/` is not what the sources come to. It runs in CI so that reviewers see what models will see.',
  },
  ACM304: {
    meaning:
      'A merge left its marks (`<<<<<<<`) in a generated file. The sources under `app/` decide what it holds, so it is written anew from them.',
  },
  ACM323: {
    meaning:
      'Node.js would not find this module when the bundle is loaded: the name is wrong, the package is not installed, its `exports` do not name it, or its JavaScript was not built yet. What is bundled and what is not: the page Monorepos.',
  },
  ACM324: {
    meaning:
      'A module that is not there, imported by `import()` in a `try` or before `.catch`: the code is prepared for that, so it may be an optional package. `--strict` takes it for an error.',
  },
  ACM325: {
    meaning:
      'The bundle is an ES module: `require()` of anything that is not bundled fails there when it runs. `import` does the same, and `createRequire` of `node:module` makes a `require`.',
  },
  ACM326: {
    meaning:
      'A package beside the application has a copy of acmcp of its own. `Controller` of one copy is another class than that of the other: its controllers would be none. TypeScript of the same version is no mistake, for it is bundled and shares the copy of the application.',
  },
}
