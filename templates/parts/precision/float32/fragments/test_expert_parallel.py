"""What a layer computes in, and how far the same sums may be apart."""

import torch

# {% macro products() %}
DTYPE, TOLERANCE = torch.float32, 1e-5  # which keeps 24 bits
# {% endmacro %}
