/** A person at the consent page: opens an authorization address, signs in, reads the page, ticks, and allows. */
import { Browser, isCallback } from '../../support.ts'
import { allowedForm, type ConsentForm, consentFormIn, type Tick } from './consent-form.ts'

export interface Consented {
  /** Where the client is called back. */
  readonly callback: URL
  /** What the page had shown. */
  readonly form: ConsentForm
}

export class Person {
  readonly #browser = new Browser()

  /** `isTicked` decides about each checkbox. */
  async consent(authorizationUrl: URL | null, isTicked: (tick: Tick) => boolean): Promise<Consented> {
    if (authorizationUrl === null) throw new Error('the client did not send its user anywhere')
    const first = await this.#browser.follow(authorizationUrl, isCallback)
    const consent = first.page.includes('name="csrf_token"')
      ? first
      : await this.#browser.follow(new URL('/auth/dev', first.url), isCallback)
    const form = consentFormIn(consent.page)
    const { url, page } = await this.#browser.follow(new URL(form.action, consent.url), isCallback, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams(allowedForm(form, isTicked)).toString(),
    })
    if (!isCallback(url)) throw new Error(`the form was not taken: ${page}`)
    return { callback: url, form }
  }
}
