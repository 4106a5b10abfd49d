import { Controller, type UploadedFile } from 'acmcp'

/** Scans of letters. */
export class Scans extends Controller {
  /**
   * Looks at what is sent.
   *
   * @filter before
   * @param scan - the file
   */
  look(scan?: UploadedFile): void {
    void scan
  }

  /**
   * Adds a scan.
   *
   * @post /
   * @param title - of the letter
   */
  add(title: string): string {
    return title
  }
}
