// SPDX-License-Identifier: Apache-2.0
// Changes made on the command line: --set objects.0.position=[0,0,1].
#ifndef PAL_SCENE_CHANGES_H
#define PAL_SCENE_CHANGES_H

#include "scene/faults.h"

/// Applies faults->sets[first .. last-1] in order to the tree of a scene file, guided by the
/// schema.
///
/// A path is keys and list indices joined by dots; maps on the way that the file lacks are made,
/// and an index one past the end appends. The value is YAML. Setting one of the keys that exclude
/// each other (mesh, shape) takes the file's other out, and setting a kind takes out the file's
/// keys that the kind does not use. Where the changes end with another device driver than the
/// file's, all that the file says about its own is taken out.
palResult palChanges_Apply(palYamlNode* root, int first, int last, palFaults* faults,
                           palError* error);

#endif
