import { isChosen } from './kinds.ts'
import { pageLinks, UNSUBSCRIBE_PATH } from './links.ts'
import { type MailContent, type MailFrame, type MailItem, mailOf } from './message.ts'
import type { Mail } from './smtp.ts'
import type { WaitingMail } from './tables/mails.ts'
import type { Unsubscribing } from './unsubscribe.ts'

// Makes mails of what waits, when they are sent: the name of the server is that of then.

type Framed = Pick<MailFrame, 'id' | 'to' | 'now' | 'why' | 'unsubscribe'> & {
  readonly content: MailContent
}

type ComposerContext = {
  readonly from: string
  readonly publicUrl: string
  readonly serverName: () => Promise<string>
  /** What a mail shows of posts. */
  readonly postItems: (of: {
    readonly fid: number
    readonly posts: readonly string[]
  }) => Promise<MailItem[]>
  readonly unsubscribing: Pick<Unsubscribing, 'token'>
  /** Unix milliseconds. */
  readonly nowMs: () => number
}

export class Composer {
  readonly #context: ComposerContext

  constructor(context: ComposerContext) {
    this.#context = context
  }

  async frame({ content, ...frame }: Framed): Promise<Mail> {
    const { from, publicUrl, serverName } = this.#context
    return mailOf(content, { ...frame, from, publicUrl, serverName: await serverName() })
  }

  /** `empty` when nothing of what it was to show is there any more. */
  async compose({ id, fid, address, kind, content }: WaitingMail): Promise<Mail | 'empty'> {
    const now = this.#context.nowMs()
    const unsubscribe = isChosen(kind) ? await this.#unsubscribe({ fid, kind, address }) : undefined
    const frame = { id, to: address, now, why: WHY[kind], unsubscribe }
    const stored: MailContent = JSON.parse(content)
    const { posts, paragraphs } = stored
    if (!posts?.length) return this.frame({ ...frame, content: stored })
    const items = await this.#context.postItems({ fid, posts })
    if (items.length === 0 && paragraphs.length === 0) return 'empty'
    const shown = items.length > 0 ? [...paragraphs, ABOVE_POSTS] : paragraphs
    return this.frame({ ...frame, content: { ...stored, paragraphs: shown, items } })
  }

  async #unsubscribe(of: Parameters<Unsubscribing['token']>[0]) {
    const { publicUrl, unsubscribing } = this.#context
    const token = await unsubscribing.token(of)
    return {
      post: `${publicUrl}/accounts${UNSUBSCRIBE_PATH}/${token}`,
      page: pageLinks(publicUrl)('unsubscribe', token),
    }
  }
}

const ABOVE_POSTS = 'What people you follow wrote since you looked last:'

const WHY: Readonly<Record<WaitingMail['kind'], string>> = {
  link: 'Somebody has entered this address there. If that was not you, do nothing.',
  veto: 'You get this because an account there has this address.',
  security: 'You get this because an account there has this address.',
  decisions: 'You get this because an account there has this address.',
  reports: 'You get this because you moderate there.',
  digest: 'You get this because you have asked for it.',
}
