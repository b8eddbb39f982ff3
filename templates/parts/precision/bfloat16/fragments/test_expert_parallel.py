"""What a layer computes in, and how far the same sums may be apart."""

import torch

# {% macro products() %}
DTYPE, TOLERANCE = torch.bfloat16, 2e-2  # which keeps 8 bits
# {% endmacro %}
