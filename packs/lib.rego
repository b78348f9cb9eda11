# The packs' common ground: what every rule of packs/ may call.
package belay.packs

import rego.v1
