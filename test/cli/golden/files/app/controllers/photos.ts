import { createReadStream } from 'node:fs'
import type { Readable } from 'node:stream'
import { Controller, type UploadedFile, type Uuid } from 'acmcp'

/** Where a photo was taken. */
export type Place = [latitude: number, longitude: number]

/** Photos of the album. */
export class Photos extends Controller {
  /**
   * Adds photos to the album.
   *
   * @post /
   * @param photos - the files
   * @param title - of all of them
   * @returns 201 their ids
   */
  create(photos: UploadedFile[], title?: string): Uuid[] {
    void title
    return photos.map(() => '00000000-0000-4000-8000-000000000000')
  }

  /**
   * Replaces the cover, or takes it away.
   *
   * @put /cover
   * @param cover - the new one; none takes it away
   * @returns 204 done
   */
  cover(cover?: UploadedFile): void {
    void cover
  }

  /**
   * Downloads a photo.
   *
   * @get /*:path
   * @param path - of the photo in the album
   * @produces image/jpeg
   */
  show(path: string): Readable {
    return createReadStream(path)
  }

  /**
   * Answers small copies of the photos, and where they were taken.
   *
   * @get /thumbnails/:size/?:page
   * @param size - in pixels
   * @param page - the first when it is left out
   */
  thumbnails(size: 64 | 128, page?: number): { bytes: Uint8Array; place: Place | null }[] {
    void [size, page]
    return []
  }

  /**
   * Tells of new photos as they come.
   *
   * @get /news
   */
  async *news(): AsyncIterable<{ id: Uuid; at: Date }> {
    yield { id: '00000000-0000-4000-8000-000000000000', at: new Date(0) }
  }
}
