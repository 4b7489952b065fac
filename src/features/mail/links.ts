import { createHash, createHmac, randomBytes } from 'node:crypto'

// Links in mails. What they open has a button: programs that open links change nothing. Tokens stand behind a #, so that neither
// this server nor a proxy has them in a log.

const TOKEN_BYTES = 32

/** A token that counts once: the link has it, the store its hash. */
export const newToken = (): { readonly token: string; readonly hash: Uint8Array } => {
  const token = randomBytes(TOKEN_BYTES).toString('base64url')
  return { token, hash: hashOfToken(token) }
}

export const hashOfToken = (token: string): Uint8Array =>
  createHash('sha256').update(token).digest()

/** Makes links to the page of links in mails. */
export const pageLinks =
  (publicUrl: string) =>
  (what: string, token: string): string =>
    `${publicUrl}/mail#${what}=${token}`

/** Makes names of texts that do not tell them. */
export const hiddenNames =
  (key: () => Promise<Uint8Array>) =>
  async (text: string): Promise<string> =>
    createHmac('sha256', await key())
      .update(text)
      .digest('base64url')

/** Where mail programs post to that end a kind of mail. */
export const UNSUBSCRIBE_PATH = '/v1/mail/unsubscribe'
