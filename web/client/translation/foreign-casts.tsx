import { Sifted } from './sifted.tsx'
import { Translation } from './translation.tsx'
import './translation.css'

type Props = Parameters<typeof Sifted>[0] | Parameters<typeof Translation>[0]

/** One part, because it is needed in two places of the first load. */
const ForeignCasts = (props: Props) =>
  'casts' in props ? <Sifted {...props} /> : <Translation {...props} />
export default ForeignCasts
