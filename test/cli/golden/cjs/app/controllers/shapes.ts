import shapes = require('../shapes')
import { Base } from '../base'
import type { Text } from 'app/labels'
import * as labels from '../labels.js'

/** Shapes of a drawing. */
export class Shapes extends Base {
  /**
   * Tells how many sides a shape has.
   *
   * @get /:name
   * @param name - the shape
   */
  show(name: shapes.Name): { sides: number } {
    return name === 'square' ? shapes.square : { sides: 0 }
  }

  /**
   * Writes a text on a shape.
   *
   * @put /:name
   * @param name - the shape
   * @param label - what to write
   */
  label(name: shapes.Name, label: labels.Label): Text {
    void name
    return label
  }
}
