import { lineOf } from '../features/snaps/faults.ts'
import { firstInputs } from '../features/snaps/inputs.ts'
import { payloadOf, sendPress } from '../features/snaps/pressing.ts'
import type { SnapPage as DrawnPage } from '../features/snaps/types.ts'
import { ask } from './ask.ts'
import type { NetworkAccount, NetworkUrls } from './network-parts.ts'
import { Signer } from './signer.ts'

// A snap in a network of tests: what is wrong about its server, and its pages as accounts press them.

// The types of the package name no other package, as those that follow from schemas do.

type Inputs = Readonly<Record<string, string | number | boolean | readonly string[]>>

/** What a press does. */
export type SnapPress = {
  readonly action: string
  // biome-ignore lint/suspicious/noExplicitAny: the format of snaps says what each action has
  readonly params: Readonly<Record<string, any>>
}

/** One element of a page. */
export type SnapElement = {
  readonly type: string
  // biome-ignore lint/suspicious/noExplicitAny: the format of snaps says what each element has
  readonly props: Readonly<Record<string, any>>
  /** Ids of elements of the same page, each of which is there. */
  readonly children?: readonly string[]
  readonly on?: { readonly press: SnapPress }
}

/** A page as a client draws it. */
export type SnapPage = {
  readonly version: string
  readonly theme: { readonly accent: string }
  readonly effects?: readonly string[]
  readonly ui: {
    readonly root: string
    readonly elements: Readonly<Record<string, SnapElement>>
    /** The values that inputs begin with. */
    readonly state?: { readonly inputs: Inputs }
  }
}

export type SnapFault = {
  readonly severity: 'error' | 'warning'
  /** Which rule is broken; docs/snaps.md has them. */
  readonly rule: string
  /** What was asked. */
  readonly url: string
  /** Where in the answer. */
  readonly path?: string
  readonly message: string
  /** What to do about it. */
  readonly fix: string
}

export type SnapReport = {
  readonly url: string
  /** Whether there is no error, only warnings. */
  readonly isReady: boolean
  readonly faults: readonly SnapFault[]
  readonly page?: SnapPage
}

export type SnapPressOptions = {
  /** What the account has entered, by name; fields that are left out keep what they began with. */
  readonly inputs?: Inputs
  /** The cast in which the snap is; it stands alone unless given. */
  readonly cast?: { readonly hash: string; readonly fid: number }
}

/** A page as clients draw it. */
export type SnapView = {
  readonly url: string
  readonly page: SnapPage
  readonly faults: readonly SnapFault[]
  /** The contents of its texts, and the labels of its buttons. */
  readonly texts: readonly string[]
  readonly buttons: readonly string[]
  /** Presses the button with this label as an account, whose key signs. Throws what a reader would be told. */
  press(label: string, account: NetworkAccount, options?: SnapPressOptions): Promise<SnapView>
}

export type Snap = {
  /** With an account also how the server verifies presses: the account presses the first button. */
  report(pressAs?: NetworkAccount): Promise<SnapReport>
  /** The first page; with an account that of this account (X-Snap-Payload). */
  open(viewer?: NetworkAccount): Promise<SnapView>
}

type Exchange = {
  readonly url: string
  readonly status?: number
  readonly page?: SnapPage
  readonly error?: string
  readonly faults: readonly SnapFault[]
}
type Urls = Pick<NetworkUrls, 'operations'>

export function snapAt(url: string, { operations }: Urls): Snap {
  const post = (path: string, body: object) =>
    ask(`${operations}/dev/${path}`, 'POST', undefined, body)
  const report = async (pressAs?: NetworkAccount) =>
    (await post('snap-report', {
      url,
      ...(pressAs && { pressAs: pressAs.fid }),
    })) as unknown as SnapReport & { readonly snapUrl?: string }
  const send = async (
    method: 'GET' | 'POST',
    target: string,
    account: NetworkAccount,
    signed: object,
  ): Promise<Exchange> => {
    const [header, payload, signature] = new Signer(account).sign(signed).split('.')
    const body = { method, target, header, payload, signature }
    return (await post('snap-press', body)) as unknown as Exchange
  }
  const viewOf = ({ url: at, page, error, faults }: Exchange): SnapView => {
    if (!page) throw new Error(`${at}: ${error ?? linesOf(faults)}`)
    const elements = Object.values(page.ui.elements)
    return {
      ...{ url: at, page, faults },
      texts: elements.flatMap((one) => (one.type === 'text' ? [one.props.content] : [])),
      buttons: elements.flatMap((one) => (one.type === 'button' ? [one.props.label] : [])),
      async press(label, account, options = {}) {
        const drawn = page as DrawnPage
        const { id, target } = buttonOf(page, label)
        const inputs = { ...firstInputs(drawn), ...options.inputs }
        const press = { fid: account.fid, target, inputs, timestamp: machineTime() }
        const exchange = await sendPress(
          { ...press, surface: options.cast },
          { page: drawn, id },
          (payload) => send('POST', target, account, payload),
        )
        return viewOf(exchange)
      },
    }
  }
  return {
    report,
    async open(viewer) {
      const { snapUrl = url, page, faults } = await report()
      if (viewer) {
        const { fid } = viewer
        const look = { fid, target: snapUrl, inputs: {}, timestamp: machineTime() }
        return viewOf(
          await send('GET', snapUrl, viewer, payloadOf({ ...look, surface: undefined })),
        )
      }
      return viewOf({ url: snapUrl, faults, ...(page && { page }) })
    },
  }
}

/** A server of a snap does not know that the clock of the network was moved. */
const machineTime = (): number => Math.floor(Date.now() / 1_000)

function buttonOf({ ui }: SnapPage, label: string): { id: string; target: string } {
  const buttons = Object.entries(ui.elements).filter(([, one]) => one.type === 'button')
  const [id, button] = buttons.find(([, { props }]) => props.label === label) ?? []
  if (id === undefined || !button) {
    const labels = buttons.map(([, { props }]) => `"${props.label}"`).join(', ')
    throw new Error(`the page has no button "${label}", but ${labels || 'none'}`)
  }
  const press = button.on?.press
  if (press?.action === 'submit') return { id, target: press.params.target }
  throw new Error(`the button "${label}" does ${press?.action ?? 'nothing'}, not submit`)
}

const linesOf = (faults: readonly SnapFault[]): string =>
  faults.map(lineOf).join(' ') || 'the server sent no page'
