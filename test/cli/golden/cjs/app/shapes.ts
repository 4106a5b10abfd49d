interface Shape {
  sides: number
}
const shapes = {
  square: { sides: 4 },
} satisfies Record<string, Shape>

namespace shapes {
  /** The name of a shape. */
  export type Name = 'square' | 'circle'
}

export = shapes
