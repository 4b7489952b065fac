import { ENGLISH, type Language, languageOf } from '../../kernel/base/languages/languages.ts'
import type { Said, Say } from '../../kernel/http/translator.ts'
import { type Face, readingOf, sayIn } from '../server-face/port.ts'
import { isChosen } from './kinds.ts'
import { pageLinks, UNSUBSCRIBE_PATH } from './links.ts'
import { type MailContent, type MailFrame, type MailItem, mailOf } from './message.ts'
import type { QueuedContent } from './queue.ts'
import type { Mail } from './smtp.ts'
import type { WaitingMail } from './tables/mails.ts'
import type { Unsubscribing } from './unsubscribe.ts'

// Makes mails of what waits, when they are sent: the name of the server is that of then, the language that of when they were queued.

type Framed = Pick<MailFrame, 'id' | 'to' | 'now' | 'items' | 'unsubscribe'> & {
  /** The address that it comes from. */
  readonly from: string
  readonly language: Language
  readonly why: (say: Say) => Said
  readonly content: (say: Say) => MailContent
}

type ComposerContext = {
  readonly publicUrl: string
  readonly face: () => Promise<Face>
  /** What a mail shows of posts. */
  readonly postItems: (of: {
    readonly fid: number
    readonly posts: readonly string[]
    readonly say: Say
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

  async frame({ content, why, language, ...frame }: Framed): Promise<Mail> {
    const { publicUrl } = this.#context
    const face = await this.#context.face()
    const say = sayIn(language, face)
    const { name: serverName } = readingOf(face, language.code)
    const more = { say, why: why(say), publicUrl, serverName }
    return mailOf(content(say), { ...frame, ...more })
  }

  /** `empty` when nothing of what it was to show is there any more. */
  async compose(
    { id, fid, address, kind, content }: WaitingMail,
    from: string,
  ): Promise<Mail | 'empty'> {
    const now = this.#context.nowMs()
    const unsubscribe = isChosen(kind) ? await this.#unsubscribe({ fid, kind, address }) : undefined
    const { language: code, ...stored }: QueuedContent = JSON.parse(content)
    // An earlier version wrote in English alone.
    const language = languageOf(code) ?? ENGLISH
    const frame = { id, from, to: address, now, language, why: WHY[kind], unsubscribe }
    const { posts, paragraphs } = stored
    if (!posts?.length) return this.frame({ ...frame, content: () => stored })
    const say = sayIn(language, await this.#context.face())
    const items = await this.#context.postItems({ fid, posts, say })
    if (items.length === 0 && paragraphs.length === 0) return 'empty'
    const above = say('What people you follow wrote since you looked last:')
    const shown = items.length > 0 ? [...paragraphs, above] : paragraphs
    return this.frame({ ...frame, items, content: () => ({ ...stored, paragraphs: shown }) })
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

const HAS_ADDRESS = (say: Say) => say('You get this because an account there has this address.')

/** Below the name of the server. */
const WHY: Readonly<Record<WaitingMail['kind'], (say: Say) => Said>> = {
  link: (say) => say('Somebody has entered this address there. If that was not you, do nothing.'),
  veto: HAS_ADDRESS,
  security: HAS_ADDRESS,
  decisions: HAS_ADDRESS,
  reports: (say) => say('You get this because you moderate there.'),
  digest: (say) => say('You get this because you have asked for it.'),
}
