// SPDX-License-Identifier: Apache-2.0
// Normals that are smooth on a curved surface and discontinuous at its creases. A vertex is split only
// if the normals of its triangles differ by more than the crease angle.
const creaseCosine = Math.cos(Math.PI / 5);

// The normal of each triangle, times twice its area.
function faceNormals(positions, triangles) {
  const normals = new Float32Array(triangles.length);
  for (let i = 0; i < triangles.length; i += 3) {
    const [a, b, c] = [3 * triangles[i], 3 * triangles[i + 1], 3 * triangles[i + 2]];
    const [ux, uy, uz] = [positions[b] - positions[a], positions[b + 1] - positions[a + 1], positions[b + 2] - positions[a + 2]];
    const [vx, vy, vz] = [positions[c] - positions[a], positions[c + 1] - positions[a + 1], positions[c + 2] - positions[a + 2]];
    normals[i] = uy * vz - uz * vy;
    normals[i + 1] = uz * vx - ux * vz;
    normals[i + 2] = ux * vy - uy * vx;
  }
  return normals;
}

// The corners (indices into `triangles`) around each vertex, sorted by vertex.
function cornersByVertex(triangles, vertexCount) {
  const begin = new Uint32Array(vertexCount + 1);
  for (const vertex of triangles) begin[vertex + 1]++;
  for (let i = 0; i < vertexCount; i++) begin[i + 1] += begin[i];
  const fill = begin.slice();
  const corners = new Uint32Array(triangles.length);
  triangles.forEach((vertex, corner) => { corners[fill[vertex]++] = corner; });
  return { begin, corners };
}

const lengthAt = (n, i) => Math.hypot(n[i], n[i + 1], n[i + 2]) || 1;

// Greedy groups of corners whose triangle normals are within the crease angle of the group's mean.
function groupsAround(faces, corners) {
  const groups = [];
  for (const corner of corners) {
    const f = corner - (corner % 3);
    const length = lengthAt(faces, f);
    const fits = (g) => (g.x * faces[f] + g.y * faces[f + 1] + g.z * faces[f + 2]) >= creaseCosine * length * Math.hypot(g.x, g.y, g.z);
    let group = groups.find(fits);
    if (!group) groups.push((group = { x: 0, y: 0, z: 0, corners: [] }));
    group.x += faces[f];
    group.y += faces[f + 1];
    group.z += faces[f + 2];
    group.corners.push(corner);
  }
  return groups;
}

// Splits vertices at creases; origins: the original vertex of each new one.
export function creased(positions, triangles) {
  const vertexCount = positions.length / 3;
  const faces = faceNormals(positions, triangles);
  const { begin, corners } = cornersByVertex(triangles, vertexCount);
  const newPositions = [];
  const newNormals = [];
  const newTriangles = new Uint32Array(triangles.length);
  const origins = [];
  for (let v = 0; v < vertexCount; v++) {
    for (const group of groupsAround(faces, corners.subarray(begin[v], begin[v + 1]))) {
      const length = Math.hypot(group.x, group.y, group.z) || 1;
      for (const corner of group.corners) newTriangles[corner] = newPositions.length / 3;
      newPositions.push(positions[3 * v], positions[3 * v + 1], positions[3 * v + 2]);
      newNormals.push(group.x / length, group.y / length, group.z / length);
      origins.push(v);
    }
  }
  return { positions: new Float32Array(newPositions), normals: new Float32Array(newNormals), triangles: newTriangles, origins: new Uint32Array(origins) };
}
