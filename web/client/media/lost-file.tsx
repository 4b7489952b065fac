import { Icon } from '../../shared/icons.tsx'
import { t } from '../../shared/messages.ts'
import { roomOf } from './room.ts'

type Props = {
  kind: 'picture' | 'video'
  /** What its author says is to be seen. */
  description?: string
  width?: number | undefined
  height?: number | undefined
  /** Of a file that is there: what this browser cannot show another program may. */
  path?: string
}

/** In place of a file of this server that does not come. It has the room of the file, so that nothing moves. */
export const LostFile = ({ kind, description, width, height, path }: Props) => (
  <span className="lost-picture" style={roomOf(width, height)}>
    <Icon name="picture" />
    <span>
      {kind === 'video' ? t('This video cannot be shown.') : t('This picture cannot be shown.')}
    </span>
    {description && <span dir="auto">{description}</span>}
    {path && (
      <a href={path} target="_blank" rel="noopener">
        {t('Open in a new tab')}
      </a>
    )}
  </span>
)
