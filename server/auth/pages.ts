import type { Config } from '../config/read.ts'
import type { RenderPage } from '../deps.ts'
import type { RefusalReason } from './identity.ts'
import { withReturnTo } from './return-to.ts'

/** The pages of signing in: plain HTML that says what happened and offers the next step. */
export function signInPages(config: Pick<Config, 'oauth' | 'allowedDomain'>, render: RenderPage) {
  const start = `/auth/${config.oauth.provider}`
  const name = providerName(config.oauth.provider)
  const signIn = (label: string, returnTo = '/') => button(withReturnTo(start, returnTo), label)
  const anotherAccount = (returnTo: string) =>
    button(withReturnTo(start, returnTo, { prompt: 'select_account' }), 'Try another account')

  function page(status: number, title: string, text: string, actions: string) {
    const body = `<main class="card sign-in"><h1>${title}</h1>${text}<p class="actions">${actions}</p></main>`
    return render({ title, body, status, headers: status === 503 ? [['retry-after', '5']] : [] })
  }

  return {
    login: (returnTo: string) =>
      page(
        200,
        'Sign in to Faultline',
        paragraph('Report defects where they are, and see where they gather.'),
        signIn(`Sign in with ${name}`, returnTo),
      ),

    expired: () =>
      page(
        400,
        'This sign-in has ended',
        paragraph('It took longer than ten minutes, was finished already, or was begun in another browser.'),
        signIn('Start again'),
      ),

    cancelled: (returnTo: string) =>
      page(
        403,
        'Sign-in was cancelled',
        paragraph(`${name} was told not to go on. Nothing has happened.`),
        signIn('Start again', returnTo) + anotherAccount(returnTo),
      ),

    declined: (returnTo: string) =>
      page(
        403,
        'You were not signed in',
        paragraph(`${name} did not sign you in, and does not say why in words known here.`),
        signIn('Start again', returnTo) + anotherAccount(returnTo),
      ),

    unproven: (returnTo: string) =>
      page(
        403,
        'Your identity could not be verified',
        paragraph(`What ${name} sent does not prove who you are, so nobody was signed in.`),
        anotherAccount(returnTo),
      ),

    refused: (reason: RefusalReason, email: unknown, returnTo: string) =>
      page(
        403,
        'You cannot enter with this account',
        address(email) + paragraph(reasons(name, config.allowedDomain)[reason]),
        anotherAccount(returnTo),
      ),

    unavailable: (status: 502 | 503, returnTo: string) =>
      page(
        status,
        'Signing in does not work right now',
        paragraph(
          `${name} ${status === 503 ? 'cannot be reached.' : 'gave an answer that makes no sense.'}`,
        ) + paragraph('The cause is in the log of this service. Try again in a moment.'),
        signIn('Try again', returnTo),
      ),
  }
}

function reasons(name: string, domain: string): Record<RefusalReason, string> {
  return {
    no_email: `${name} did not say which e-mail address this account has.`,
    malformed: 'This is not an e-mail address that can enter here.',
    wrong_domain: `Only addresses that end in @${domain} can enter here.`,
    unverified: `${name} has not verified that this address is yours. Verify it there, then come back.`,
    verification_missing: `${name} does not say whether this address is verified, so it cannot be trusted. Whoever runs this service finds in its log how to mend that.`,
  }
}

const paragraph = (text: string) => `<p>${Bun.escapeHTML(text)}</p>`
const button = (href: string, label: string) =>
  `<a class="button" href="${Bun.escapeHTML(href)}">${Bun.escapeHTML(label)}</a>`

function address(email: unknown): string {
  if (typeof email !== 'string' || email === '') return ''
  return `<p>You came as <strong class="address">${Bun.escapeHTML(plainly(email))}</strong>.</p>`
}

/** Letters that only look like others, and those that cannot be seen, stand out. */
export function plainly(text: string): string {
  const visible = text.slice(0, 254).replace(/[^\x20-\x7e]/gu, c => `\\u{${c.codePointAt(0)!.toString(16)}}`)
  return text.length > 254 ? `${visible}…` : visible
}

function providerName(segment: string): string {
  const words = segment.split('-').filter(Boolean)
  return words.map(word => word[0]!.toUpperCase() + word.slice(1)).join(' ') || segment
}
