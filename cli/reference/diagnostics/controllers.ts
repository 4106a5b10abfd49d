/** ACM1: which classes are controllers, and what they extend. */
import type { Explanations } from './explanation.ts'

const orders = `export class Orders extends Controller {
  /** @get / */
  index(): string[] { return [] }
}`

export const aboutControllers: Explanations = {
  ACM101: {
    meaning:
      'No exported class under `app/controllers/` extends `Controller`, so that there is nothing to serve.',
    wrong: `export class Orders {}`,
    right: orders,
  },
  ACM102: {
    meaning:
      'TypeScript cannot read the file. Its message is shown as it is; nothing else of the file was judged.',
    wrong: `/** @get / */\nindex( { return [] }`,
    right: `/** @get / */\nindex(): string[] { return [] }`,
  },
  ACM103: {
    meaning:
      'The configuration is read from `app/config.ts`, which must export `config`. An application without settings has an empty one.',
    right: `// app/config.ts
import { defineApp } from 'acmcp'
export const config = defineApp({})
// app/controllers/orders.ts
${orders}`,
  },
  ACM104: {
    meaning: 'The generated route table imports controllers by their names.',
    wrong: `export default ${orders.replace('export ', '')}`,
    right: orders,
  },
  ACM105: {
    meaning:
      'Tags such as `@get` do something on controllers only. The class has some, and does not extend `Controller`.',
    wrong: `// app/controllers/orders.ts
${orders}
// app/reports.ts
export class Reports {
  /** @get / */
  index(): string[] { return [] }
}`,
    right: orders,
  },
  ACM106: {
    meaning:
      'The build follows classes by name, to find inherited routes, filters and handlers. What a call makes has none.',
    wrong: `const mixin = () => class extends Controller {}

export class Orders extends mixin() {
  /** @get / */
  index(): string[] { return [] }
}`,
    right: orders.replace('Controller', 'Base').replace(/^/, 'abstract class Base extends Controller {}\n\n'),
  },
  ACM107: {
    meaning:
      'The types that controllers are written with come from the package `acmcp`, which is not installed here.',
  },
  ACM108: {
    meaning:
      'TypeScript cannot read some of `tsconfig.json`. Its message is shown; the build goes on with the rest.',
    wrong: `// tsconfig.json
{ "compilerOptions": { "strictt": true } }
// app/controllers/orders.ts
${orders}`,
    right: `// tsconfig.json
{ "compilerOptions": { "strict": true } }
// app/controllers/orders.ts
${orders}`,
  },
  ACM109: {
    meaning:
      'A name that an older version exported from `acmcp` is exported elsewhere now. Without this the server would fail when it starts.',
    wrong: `import { Controller, type Migration } from 'acmcp'\n${orders}\nexport const all: Migration[] = []`,
    right: `import { Controller } from 'acmcp'\nimport type { Migration } from 'acmcp/store'\n${orders}\nexport const all: Migration[] = []`,
  },
  ACM117: {
    meaning:
      'An error class that a handler or `@returns` names is imported by the generated code, which tells errors apart by it.',
    wrong: `class SoldOut extends Error {}

export class Orders extends Controller {
  /** @exception {SoldOut} 410 */
  soldOut(error: SoldOut): string { return error.message }
}`,
    right: `export class SoldOut extends Error {}

export class Orders extends Controller {
  /** @exception {SoldOut} 410 */
  soldOut(error: SoldOut): string { return error.message }
}`,
  },
  ACM146: {
    meaning:
      'TypeScript does not find the class that the controller extends: its name or its import is wrong, or a package is missing.',
    wrong: `export class Orders extends Controler {
  /** @get / */
  index(): string[] { return [] }
}`,
    right: orders,
  },
  ACM147: {
    meaning: 'Following `extends` comes back to the class itself.',
    wrong: `export class Orders extends Sales {
  /** @get / */
  index(): string[] { return [] }
}
export class Sales extends Orders {}`,
    right: orders,
  },
  ACM148: {
    meaning:
      'A class with tags of a controller stands where none is looked for: elsewhere than under `app/controllers/`, or inside other code.',
    wrong: `export const Orders = class extends Controller {
  /** @get / */
  index(): string[] { return [] }
}`,
    right: orders,
  },
  ACM150: {
    meaning:
      'A text that looks like a misspelt tag stands on a class that is no controller. It may be one that forgot to extend `Controller`, so it is a warning.',
    wrong: `${orders}
export class Reports {
  /** @Get /reports */
  index(): string[] { return [] }
}`,
    right: orders,
  },
  ACM151: {
    meaning: 'A file under `app/controllers/` has tags, but its name ends in something that is not read.',
    wrong: `// app/controllers/orders.ts
${orders}
// app/controllers/reports.js
/** @get /reports */
export const reports = 1`,
    right: orders,
  },
  ACM152: {
    meaning:
      'A name in `defineApp({ … })` is no setting. TypeScript lets it pass, because `defineApp` keeps the type of what is written. The hint has the setting that was meant, where one is near.',
    wrong: `// app/config.ts
import { defineApp } from 'acmcp'
export const config = defineApp({ limits: { bodyByte: 1000 } })
// app/controllers/orders.ts
${orders}`,
    right: `// app/config.ts
import { defineApp } from 'acmcp'
export const config = defineApp({ limits: { bodyBytes: 1000 } })
// app/controllers/orders.ts
${orders}`,
  },
  ACM244: {
    meaning:
      'A setting is set to what it cannot be. The build judges the literals of `app/config.ts`, and the constants that are some, by the same table as the start; what comes from the environment or a function, the start alone judges.',
    wrong: `// app/config.ts
import { defineApp } from 'acmcp'
export const config = defineApp({ limits: { bodyBytes: 0 } })
// app/controllers/orders.ts
${orders}`,
    right: `// app/config.ts
import { defineApp } from 'acmcp'
export const config = defineApp({ limits: { bodyBytes: 1000 } })
// app/controllers/orders.ts
${orders}`,
  },
  ACM153: {
    meaning: 'A class that the generated code imports is exported as `default` or under another name.',
    wrong: `// app/sold-out.ts
export default class SoldOut extends Error {}
// app/controllers/orders.ts
import { Controller } from 'acmcp'
import SoldOut from '../sold-out.ts'

export class Orders extends Controller {
  /** @exception {SoldOut} 410 */
  soldOut(error: SoldOut): string { return error.message }
}`,
    right: `// app/sold-out.ts
export class SoldOut extends Error {}
// app/controllers/orders.ts
import { Controller } from 'acmcp'
import { SoldOut } from '../sold-out.ts'

export class Orders extends Controller {
  /** @exception {SoldOut} 410 */
  soldOut(error: SoldOut): string { return error.message }
}`,
  },
}
