package race

import "math"

// cut returns the strokes of a dashed line: dash has the lengths of a stroke and of the
// gap behind it.
func cut(points [][2]float64, dash [2]float64) [][][2]float64 {
	var pieces [][][2]float64
	var piece [][2]float64
	drawing, left := true, dash[0]
	for i := 1; i < len(points); i++ {
		from, to := points[i-1], points[i]
		length := math.Hypot(to[0]-from[0], to[1]-from[1])
		for done := 0.0; done < length; {
			step := min(left, length-done)
			if drawing && piece == nil {
				piece = [][2]float64{between(from, to, done/length)}
			}
			done, left = done+step, left-step
			if drawing {
				piece = append(piece, between(from, to, done/length))
			}
			if left > 0 {
				continue
			}
			if drawing {
				pieces, piece = append(pieces, piece), nil
			}
			drawing = !drawing
			left = dash[1]
			if drawing {
				left = dash[0]
			}
		}
	}
	if len(piece) > 1 {
		pieces = append(pieces, piece)
	}
	return pieces
}

// between returns the point at a fraction of the way from one point to another.
func between(from, to [2]float64, part float64) [2]float64 {
	return [2]float64{from[0] + (to[0]-from[0])*part, from[1] + (to[1]-from[1])*part}
}
