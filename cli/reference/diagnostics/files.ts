/** ACM301 to ACM304: the bundle, and the files that a build writes. */
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
}
