import { DeskController } from './desk-controller.ts'

/** Every route of a subclass is for agents and admins. */
export abstract class StaffController extends DeskController {
  /**
   * Lets the staff in.
   *
   * @filter before
   */
  forStaff(): void {
    this.requireRole('agent', 'admin')
  }
}
