import { type ComponentType, lazy, Suspense, useEffect, useId, useState } from 'react'
import { t } from '../../../shared/messages.ts'
import { Busy, Notice } from '../../../shared/page.tsx'
import { rich } from '../../../shared/rich.tsx'
import { cleanName } from '../../../shared/text.ts'
import { Picture } from '../../parts/picture.tsx'
import type { MiniAppDetails } from '../calls.ts'
import type { AppHost } from './app-host.ts'
import { Choices, PromptHeading, type PromptOf, type PromptProps } from './prompt-parts.tsx'
import type { Kind, Prompt } from './prompts.ts'

const SignInPrompt = lazy(async () => ({ default: (await import('./sign-in.tsx')).SignInPrompt }))
const SignDomainPrompt = lazy(async () => ({
  default: (await import('./sign-in.tsx')).SignDomainPrompt,
}))
const AccountsPrompt = lazy(async () => ({
  default: (await import('./accounts.tsx')).AccountsPrompt,
}))
const ComposePrompt = lazy(async () => ({ default: (await import('./compose.tsx')).ComposePrompt }))

/** A prompt may be answered this long after it is shown: a press that was meant for the app decides nothing. */
const ARMED_AFTER_MS = 500

const VIEWS: { readonly [K in Kind]: ComponentType<PromptProps<K>> } = {
  url: UrlPrompt,
  app: AppPrompt,
  add: AddPrompt,
  signIn: SignInPrompt,
  signDomain: SignDomainPrompt,
  accounts: AccountsPrompt,
  wallet: WalletPrompt,
  compose: ComposePrompt,
}

type Props = {
  readonly host: AppHost
  readonly prompt: Prompt
  readonly app: MiniAppDetails | undefined
}

/** What the app asks for, outside of its frame and over it. */
export function PromptSheet({ host, prompt, app }: Props) {
  const headingId = useId()
  const isArmed = useArmed()
  const View = VIEWS[prompt.kind] as ComponentType<PromptProps<Kind>>
  return (
    <div className="mini-app-shade">
      <section
        className={prompt.kind === 'compose' ? 'mini-app-sheet tall' : 'mini-app-sheet'}
        role="alertdialog"
        aria-modal="true"
        aria-labelledby={headingId}
      >
        <Suspense fallback={<Busy>{t('One moment …')}</Busy>}>
          <View {...{ host, app, isArmed, headingId }} prompt={prompt as PromptOf<Kind>} />
        </Suspense>
      </section>
    </div>
  )
}

/** Counted while the page is seen: time in another tab or another window does not count. */
function useArmed(): boolean {
  const [isArmed, setArmed] = useState(false)
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const begin = () => {
      clearTimeout(timer)
      setArmed(false)
      if (document.visibilityState === 'visible') {
        timer = setTimeout(() => setArmed(true), ARMED_AFTER_MS)
      }
    }
    begin()
    document.addEventListener('visibilitychange', begin)
    return () => {
      clearTimeout(timer)
      document.removeEventListener('visibilitychange', begin)
    }
  }, [])
  return isArmed
}

function UrlPrompt({ host, prompt, isArmed, headingId }: PromptProps<'url'>) {
  const url = new URL(prompt.about.url)
  return (
    <>
      <PromptHeading id={headingId}>
        {rich('{domain} opens a page of {host}', {
          domain: host.ports.domain,
          host: <bdi>{url.host}</bdi>,
        })}
      </PromptHeading>
      <p className="mini-app-value">
        <bdi>{url.href}</bdi>
      </p>
      <Choices
        yes={t('Open in a new tab')}
        isArmed={isArmed}
        onYes={() => {
          open(url.href, '_blank', 'noopener,noreferrer')
          prompt.answer(true)
        }}
        onNo={() => prompt.answer(undefined)}
      />
    </>
  )
}

function AppPrompt({ host, prompt, isArmed, headingId }: PromptProps<'app'>) {
  return (
    <>
      <PromptHeading id={headingId}>
        {rich('{domain} opens the mini app {domain2}', {
          domain: host.ports.domain,
          domain2: <bdi>{prompt.about.domain}</bdi>,
        })}
      </PromptHeading>
      <p>
        {t('{domain} is closed. The other app learns your name, and who sent you.', {
          domain: host.ports.domain,
        })}
      </p>
      <Choices
        yes={t('Open {domain}', { domain: prompt.about.domain })}
        isArmed={isArmed}
        onYes={() => prompt.answer(true)}
        onNo={() => prompt.answer(undefined)}
      />
    </>
  )
}

function AddPrompt({ host, prompt, isArmed, headingId }: PromptProps<'add'>) {
  const { app } = prompt.about
  const [notifications, setNotifications] = useState(true)
  const author =
    app.author?.username ?? (app.author && t('account {fid}', { fid: String(app.author.fid) }))
  return (
    <>
      <PromptHeading id={headingId}>
        {t('Add {domain} to your apps?', { domain: host.ports.domain })}
      </PromptHeading>
      <p className="mini-app-name">
        <Picture url={app.iconUrl} width={96} alt="" className="mini-app-icon" />
        <span className="mini-app-words">
          <bdi className="mini-app-title">{cleanName(app.name)}</bdi>
          <span className="muted">
            {author
              ? t('by @{author}', { author: cleanName(author) })
              : t('Its author is not verified.')}
          </span>
        </span>
      </p>
      <label className="check">
        <input
          type="checkbox"
          checked={notifications}
          onChange={({ target }) => setNotifications(target.checked)}
        />
        {t('It may notify you')}
      </label>
      <Choices
        yes={t('Add')}
        isArmed={isArmed}
        onYes={() => prompt.answer({ notifications })}
        onNo={() => prompt.answer(undefined)}
      />
    </>
  )
}

function WalletPrompt({ host, prompt, isArmed, headingId }: PromptProps<'wallet'>) {
  const { heading, rows } = prompt.about
  const { connection } = host.state()
  return (
    <>
      <PromptHeading id={headingId}>{heading}</PromptHeading>
      <dl className="mini-app-rows">
        {rows.map(({ name, value }, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: names may repeat, and rows never move
          <div key={i}>
            <dt>{cleanName(name)}</dt>
            <dd className="mini-app-value">{value}</dd>
          </div>
        ))}
      </dl>
      <Notice tone="warn">
        {t('Only go on if you trust {domain}. {name} asks once more.', {
          domain: host.ports.domain,
          name: connection?.wallet.name ?? t('Your wallet'),
        })}
      </Notice>
      <Choices
        yes={t('Go on')}
        isArmed={isArmed}
        onYes={() => prompt.answer(true)}
        onNo={() => prompt.answer(undefined)}
      />
    </>
  )
}
