/** The names of a printed module. What is printed is imported: a class gets its name, and its import, when it is named. */
import { freeName } from '../../ir/safe-names.ts'
import type { SymbolRef } from '../../ir/schema.ts'
import { quote } from '../../schema/javascript.ts'

interface Imported extends SymbolRef {
  readonly local: string
  isValue: boolean
}

/** Collects imports while the module is printed. */
export class Imports {
  readonly #taken: Set<string>
  readonly #classes = new Map<string, Imported>()

  /** `reserved` = the names that the module uses without an import. */
  constructor(reserved: Iterable<string>) {
    this.#taken = new Set(reserved)
  }

  /** The local name of a class, as a value. Global classes have no module. */
  value(symbol: SymbolRef): string {
    if (symbol.module === '') return this.#global(symbol.name)
    const [found, inside] = this.#imported(symbol)
    found.isValue = true
    return found.local + inside
  }

  /** The local name of a class whose type alone is used. */
  type(symbol: SymbolRef): string {
    if (symbol.module === '') return this.#global(symbol.name)
    const [found, inside] = this.#imported(symbol)
    return found.local + inside
  }

  /** A name for something of the module itself: `name`, or with a number behind it. */
  declare(name: string): string {
    const free = freeName(name, (other) => this.#taken.has(other))
    this.#taken.add(free)
    return free
  }

  /** What is imported, and the way from there to a class in a namespace. */
  #imported({ module, name }: SymbolRef): readonly [found: Imported, inside: string] {
    const [root = '', ...names] = name.split('.')
    const inside = names.map((item) => `.${item}`).join('')
    const key = `${module}#${root}`
    const known = this.#classes.get(key)
    if (known !== undefined) return [known, inside]
    const found = { module, name: root, local: this.declare(root), isValue: false }
    this.#classes.set(key, found)
    return [found, inside]
  }

  /** An import that has taken the name hides the global class. */
  #global(name: string): string {
    const [root = name] = name.split('.')
    const isHidden = [...this.#classes.values()].some(({ local }) => local === root)
    this.#taken.add(root)
    return isHidden ? `globalThis.${name}` : name
  }

  /** The import declarations, sorted by module and name; those of `acmcp` have the types `own` too. */
  text(own: readonly string[]): string {
    const modules = new Map<string, string[]>([['acmcp', own.map((name) => `type ${name}`)]])
    const sorted = [...this.#classes].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, imported]) => imported)
    for (const { module, name, local, isValue } of sorted) {
      const exported = module.startsWith('default:') ? 'default' : name
      const item = `${isValue ? '' : 'type '}${local === exported ? local : `${exported} as ${local}`}`
      modules.set(module, [...(modules.get(module) ?? []), item])
    }
    return [...modules].map(([module, items]) => importText(module, items)).join('')
  }
}

function importText(module: string, items: readonly string[]): string {
  const types = items.every((item) => item.startsWith('type '))
  const names = types ? items.map((item) => item.slice('type '.length)) : items
  return `import ${types ? 'type ' : ''}{ ${names.join(', ')} } from ${quote(specifierOf(module))}\n`
}

function specifierOf(module: string): string {
  const [, specifier] = /^(?:package|default):(.*)$/s.exec(module) ?? []
  if (specifier !== undefined) return specifier
  return module === 'acmcp' ? module : `../${module}`
}
