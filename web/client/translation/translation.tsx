import { useState } from 'react'
import { t } from '../../shared/messages.ts'
import { language } from '../../shared/meta.ts'
import { LinkedText, OutLink } from '../parts/cast-text.tsx'
import { useSession } from '../session/session.tsx'
import type { Cast } from '../types.ts'
import { languageName } from './names.ts'
import { byBrowser, byServer, type Made, pageOf } from './translator.ts'

/** Of the page: a code without its region. */
const TARGET = language.slice(0, 2)

type State =
  | { readonly is: 'offered' | 'busy' }
  | { readonly is: 'made'; readonly made: Made }
  /** Nobody here translates: the reader may go elsewhere. */
  | { readonly is: 'elsewhere'; readonly why?: string }

/** Offers to translate a post, and shows the translation below it. */
export function Translation({ cast }: { cast: Cast }) {
  const { fid } = useSession()
  const [state, setState] = useState<State>({ is: 'offered' })
  const translate = async () => {
    setState({ is: 'busy' })
    let why: string | undefined
    const ofServer = await byServer(cast, fid, TARGET).catch((error: Error) => {
      why = error.message
      return undefined
    })
    const made = ofServer ?? (await byBrowser(cast, TARGET))
    if (made) setState({ is: 'made', made })
    else setState({ is: 'elsewhere', ...(why !== undefined && { why }) })
  }
  return (
    <div className="translation" aria-live="polite">
      {state.is === 'offered' && (
        <button type="button" className="link" onClick={() => void translate()}>
          {t('Translate from {language}', { language: languageName(cast.lang!) })}
        </button>
      )}
      {state.is === 'busy' && <span className="muted">{t('Translating …')}</span>}
      {state.is === 'made' && (
        <>
          <TranslatedText {...state.made} />
          <button type="button" className="link" onClick={() => setState({ is: 'offered' })}>
            {t('Hide the translation')}
          </button>
        </>
      )}
      {state.is === 'elsewhere' && (
        <Elsewhere cast={cast} why={state.why} close={() => setState({ is: 'offered' })} />
      )}
    </div>
  )
}

const TranslatedText = ({ text, from, language: to, by }: Made) => (
  <>
    <p className="cast-text" dir="auto" lang={to}>
      <LinkedText text={text} />
    </p>
    <p className="muted">
      {by === undefined
        ? t('Translated from {language} by this browser, on this device.', {
            language: languageName(from),
          })
        : t('Translated from {language} by {translator}, to which only the text was sent.', {
            language: languageName(from),
            translator: by,
          })}
    </p>
  </>
)

type ElsewhereProps = { cast: Cast; why: string | undefined; close: () => void }

/** What leaves the page leaves it by the hand of the reader, who is told where it goes. */
const Elsewhere = ({ cast, why, close }: ElsewhereProps) => (
  <>
    {why !== undefined && (
      <p className="fault" dir="auto">
        {why}
      </p>
    )}
    <p className="muted">
      {t(
        'Nothing was translated here. Another translator can do it: what you choose gets the text of the {post}, and learns your network address.',
      )}
    </p>
    <p className="translation-ways">
      {'share' in navigator && (
        <button type="button" className="secondary" onClick={() => void share(cast)}>
          {t('Share the text with an app')}
        </button>
      )}
      <OutLink url={pageOf(cast, TARGET)}>{t('Open translate.google.com with the text')}</OutLink>
      <button type="button" className="link" onClick={close}>
        {t('Close')}
      </button>
    </p>
  </>
)

/** Whoever closes the sheet has chosen nothing. */
const share = ({ text }: Cast): Promise<void> => navigator.share({ text }).catch(() => {})
